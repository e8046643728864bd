package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// HasImage reports whether there is a complete data image.
func (m *ManagedServer) HasImage() bool { return isFile(m.path(imageMark)) }

// SaveImage makes the data of the stopped server the image that Restore brings back.
func (m *ManagedServer) SaveImage(ctx context.Context) error {
	if m.PID() != 0 {
		return errors.New("data image: the server runs and changes its data: stop it first")
	}
	return m.makeImage(ctx, m.path(dataDir))
}

// makeImage makes a directory's files the image. The mark that it is complete comes after all of it is on the disk, so that it is true
// after a power failure too.
func (m *ManagedServer) makeImage(ctx context.Context, from string) error {
	err := os.RemoveAll(m.path(imageMark))
	if err == nil {
		err = m.copyTree(ctx, from, m.path(imageDir))
	}
	if err == nil {
		err = syncTree(m.path(imageDir))
	}
	if err == nil {
		err = os.WriteFile(m.path(imageMark), nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("data image: %w", err)
	}
	return nil
}

// syncTree waits until files are on the disk. Directories are not waited for: not every system can, and InnoDB tells when a file is missing.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Restore makes the image the data of the stopped server.
func (m *ManagedServer) Restore(ctx context.Context) error {
	if !m.HasImage() {
		return errors.New("there is no data image to restore")
	}
	if m.PID() != 0 {
		return errors.New("restore the data: the server runs on them: stop it first")
	}
	if err := m.copyTree(ctx, m.path(imageDir), m.path(dataDir)); err != nil {
		return fmt.Errorf("restore the data: %w", err)
	}
	if m.second != nil {
		m.second.configured = false // its data are restored when it starts
	}
	return nil
}

// copyTree makes to a copy of from; what is in to is removed.
func (m *ManagedServer) copyTree(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	var need int64
	if err := filepath.WalkDir(from, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				need += info.Size()
			}
		}
		return err
	}); err != nil {
		return err
	}
	if free, known := freeSpace(m.config.Dir); known && free < need && !canClone(from, m.config.Dir) {
		return fmt.Errorf("%s has %d MB free and the copy takes %d MB: free space, or name another directory with --work-dir", m.config.Dir, free>>20, need>>20)
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.Mkdir(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case d.Type().IsRegular():
			return copyFile(path, target)
		}
		return nil // sockets
	})
}

// copyFile copies a file, sharing its blocks where the file system can.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if clone(out, in) {
		return nil
	}
	_, err = out.ReadFrom(in) // copy_file_range on Linux
	return err
}

// canClone reports whether files of a directory can share blocks with copies below another.
func canClone(from, dir string) bool {
	probe, err := os.CreateTemp(dir, "clone")
	if err != nil {
		return false
	}
	defer os.Remove(probe.Name())
	defer probe.Close()
	copied := false
	_ = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		in, err := os.Open(path)
		if err != nil {
			return filepath.SkipAll
		}
		defer in.Close()
		copied = clone(probe, in)
		return filepath.SkipAll
	})
	return copied
}

// Copy returns a further server in a directory of its own, with the image of this one as its data image.
func (m *ManagedServer) Copy(ctx context.Context, dir string) (*ManagedServer, error) {
	c := m.config
	c.Dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(m.path(accountFile))
	if err == nil {
		err = writeWhole(filepath.Join(dir, accountFile), text)
	}
	if err != nil {
		return nil, err
	}
	other, err := NewManaged(c)
	if err != nil || other.HasImage() {
		return other, err
	}
	return other, other.makeImage(ctx, m.path(imageDir))
}
