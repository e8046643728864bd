package wire

// Capability is a set of capability flags. The low 32 bits are the flags of the MySQL protocol, the high
// 32 bits the extended flags of MariaDB, which travel in bytes that MySQL leaves reserved.
type Capability uint64

// Capability flags (CLIENT_… in the protocol documentation).
const (
	LongPassword               Capability = 1 << 0 // MariaDB servers leave it out to announce extended flags
	FoundRows                  Capability = 1 << 1 // affected rows = matched rows
	LongFlag                   Capability = 1 << 2
	ConnectWithDB              Capability = 1 << 3
	NoSchema                   Capability = 1 << 4
	Compress                   Capability = 1 << 5 // zlib
	ODBC                       Capability = 1 << 6
	LocalFiles                 Capability = 1 << 7
	IgnoreSpace                Capability = 1 << 8
	Protocol41                 Capability = 1 << 9
	Interactive                Capability = 1 << 10
	SSL                        Capability = 1 << 11
	IgnoreSIGPIPE              Capability = 1 << 12
	Transactions               Capability = 1 << 13
	Reserved                   Capability = 1 << 14
	SecureConnection           Capability = 1 << 15
	MultiStatements            Capability = 1 << 16
	MultiResults               Capability = 1 << 17
	PSMultiResults             Capability = 1 << 18
	PluginAuth                 Capability = 1 << 19
	ConnectAttrs               Capability = 1 << 20
	PluginAuthLenencClientData Capability = 1 << 21
	CanHandleExpiredPasswords  Capability = 1 << 22
	SessionTrack               Capability = 1 << 23
	DeprecateEOF               Capability = 1 << 24
	OptionalResultsetMetadata  Capability = 1 << 25
	ZstdCompression            Capability = 1 << 26
	QueryAttributes            Capability = 1 << 27
	MultiFactorAuthentication  Capability = 1 << 28

	MariaDBProgress             Capability = 1 << 32
	MariaDBComMulti             Capability = 1 << 33
	MariaDBStmtBulkOperations   Capability = 1 << 34
	MariaDBExtendedTypeInfo     Capability = 1 << 35
	MariaDBCacheMetadata        Capability = 1 << 36 // column definitions may be left out of repeated executions
	MariaDBBulkUnitResults      Capability = 1 << 37
	mariaDBExtended             Capability = 0xffffffff << 32
	protocolVersion10                      = 10
	responseFixed                          = 32 // bytes of a handshake response before the user name
	authPluginDataPart1                    = 8
	maxUint24                              = 1<<24 - 1
	defaultAuthPluginDataLength            = 21
)

// Has reports whether all flags of want are set.
func (c Capability) Has(want Capability) bool { return c&want == want }

// Command is the first byte of a command packet.
type Command byte

// Commands (COM_…).
const (
	ComQuit             Command = 0x01
	ComInitDB           Command = 0x02
	ComQuery            Command = 0x03
	ComFieldList        Command = 0x04
	ComStatistics       Command = 0x09
	ComProcessKill      Command = 0x0c
	ComPing             Command = 0x0e
	ComChangeUser       Command = 0x11
	ComStmtPrepare      Command = 0x16
	ComStmtExecute      Command = 0x17
	ComStmtSendLongData Command = 0x18
	ComStmtClose        Command = 0x19
	ComStmtReset        Command = 0x1a
	ComSetOption        Command = 0x1b
	ComStmtFetch        Command = 0x1c
	ComResetConnection  Command = 0x1f
)

// Status is the server status in OK and EOF packets.
type Status uint16

// Status flags (SERVER_…).
const (
	StatusInTrans            Status = 0x0001
	StatusAutocommit         Status = 0x0002
	StatusMoreResults        Status = 0x0008
	StatusNoGoodIndex        Status = 0x0010
	StatusNoIndex            Status = 0x0020
	StatusCursorExists       Status = 0x0040
	StatusLastRowSent        Status = 0x0080
	StatusDBDropped          Status = 0x0100
	StatusNoBackslashEscapes Status = 0x0200
	StatusMetadataChanged    Status = 0x0400
	StatusSlowQuery          Status = 0x0800
	StatusPSOutParams        Status = 0x1000
	StatusInReadOnlyTrans    Status = 0x2000
	StatusSessionState       Status = 0x4000
)

// Type is the type of a column or parameter.
type Type byte

// Types (MYSQL_TYPE_…).
const (
	TypeDecimal    Type = 0x00
	TypeTiny       Type = 0x01
	TypeShort      Type = 0x02
	TypeLong       Type = 0x03
	TypeFloat      Type = 0x04
	TypeDouble     Type = 0x05
	TypeNull       Type = 0x06
	TypeTimestamp  Type = 0x07
	TypeLongLong   Type = 0x08
	TypeInt24      Type = 0x09
	TypeDate       Type = 0x0a
	TypeTime       Type = 0x0b
	TypeDatetime   Type = 0x0c
	TypeYear       Type = 0x0d
	TypeNewDate    Type = 0x0e
	TypeVarchar    Type = 0x0f
	TypeBit        Type = 0x10
	TypeVector     Type = 0xf2
	TypeJSON       Type = 0xf5
	TypeNewDecimal Type = 0xf6
	TypeEnum       Type = 0xf7
	TypeSet        Type = 0xf8
	TypeTinyBlob   Type = 0xf9
	TypeMediumBlob Type = 0xfa
	TypeLongBlob   Type = 0xfb
	TypeBlob       Type = 0xfc
	TypeVarString  Type = 0xfd
	TypeString     Type = 0xfe
	TypeGeometry   Type = 0xff
)

// ColumnFlag is a set of flags of a column definition.
type ColumnFlag uint16

// Column flags.
const (
	FlagNotNull       ColumnFlag = 0x0001
	FlagPrimaryKey    ColumnFlag = 0x0002
	FlagUniqueKey     ColumnFlag = 0x0004
	FlagMultipleKey   ColumnFlag = 0x0008
	FlagBlob          ColumnFlag = 0x0010
	FlagUnsigned      ColumnFlag = 0x0020
	FlagZerofill      ColumnFlag = 0x0040
	FlagBinary        ColumnFlag = 0x0080
	FlagEnum          ColumnFlag = 0x0100
	FlagAutoIncrement ColumnFlag = 0x0200
	FlagTimestamp     ColumnFlag = 0x0400
	FlagSet           ColumnFlag = 0x0800
	FlagNum           ColumnFlag = 0x8000
)

// Character sets (collation ids) that this module names.
const (
	CharsetLatin1  = 8  // latin1_swedish_ci
	CharsetUTF8MB4 = 45 // utf8mb4_general_ci
	CharsetBinary  = 63
)

// First bytes of packets that are not rows.
const (
	HeaderOK           = 0x00
	HeaderAuthMoreData = 0x01
	HeaderLocalInfile  = 0xfb
	HeaderEOF          = 0xfe // also auth switch request, and OK at the end of rows with DeprecateEOF
	HeaderERR          = 0xff
)
