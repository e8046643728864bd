// Package study reads study files and makes plans of them: what is compared, on which servers, in which order. It touches no server
// and starts nothing.
package study
