package bus

// Role is what a user of the server is there for.
type Role string

// The roles.
const (
	Leader Role = "leader" // makes runs
	Agent  Role = "agent"  // takes part in them
	Viewer Role = "viewer" // sees who is there, and how far runs are
)

// Rights are the subjects that a role needs, and no others.
type Rights struct {
	Publish, Subscribe []string
	// Respond: it may answer what it is asked, once each.
	Respond bool
}

// Inbox is where answers to a role go. Each has its own, so that nobody reads another's.
func (r Role) Inbox() string { return "_INBOX_" + string(r) }

// Rights are those of a role.
//
// Only a leader may make consumers on streams that agents write to: a consumer lets the
// server publish what is in the stream wherever its maker says.
func (r Role) Rights() Rights {
	own := r.Inbox() + ".>"
	runs, files := "KV_"+RunsBucket, "OBJ_"+FilesBucket
	switch r {
	case Leader:
		rights := Rights{
			Publish: []string{
				whoSubject, askSubject("*"), valueSubj + RunsBucket + ".>", fileSubj + FilesBucket + ".>",
				"$JS.API.INFO",
			},
			Subscribe: []string{statusSubject("*", "*"), own},
		}
		for _, stream := range []string{JournalStream, StatusStream, runs, files} {
			rights.Publish = append(rights.Publish,
				"$JS.API.STREAM.*."+stream, "$JS.API.STREAM.MSG.GET."+stream, "$JS.API.DIRECT.GET."+stream, "$JS.API.DIRECT.GET."+stream+".>")
		}
		for _, stream := range []string{JournalStream, runs} {
			rights.Publish = append(rights.Publish, "$JS.API.CONSUMER.*."+stream+".>", "$JS.API.CONSUMER.MSG.NEXT."+stream+".>", "$JS.FC."+stream+".>")
		}
		return rights
	case Agent:
		chunks := fileSubj + FilesBucket + ".C.>"
		return Rights{
			Publish: []string{
				statusSubject("*", "*"), journalSubject("*", "*"),
				"$JS.API.STREAM.INFO." + files, "$JS.API.DIRECT.GET." + files + "." + fileSubj + FilesBucket + ".M.>",
				"$JS.API.CONSUMER.CREATE." + files + ".*." + chunks, "$JS.API.CONSUMER.DELETE." + files + ".*", "$JS.FC." + files + ".>",
			},
			Subscribe: []string{whoSubject, askSubject("*"), own},
			Respond:   true,
		}
	default:
		return Rights{
			Publish:   []string{whoSubject, "$JS.API.STREAM.INFO." + StatusStream, "$JS.API.DIRECT.GET." + StatusStream + "." + statusSubject("*", "*")},
			Subscribe: []string{statusSubject("*", "*"), own},
		}
	}
}
