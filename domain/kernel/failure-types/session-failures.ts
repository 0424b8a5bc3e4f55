/** Failure types of sessions. `index.ts` merges them into the complete table and checks their type. */
export const sessionFailureTypes = {
  'Session.HostBusy': {
    meaning: 'The host of a shared session did not answer a request within 10 seconds.',
    remedy:
      'No action needed: the request is sent again, and takes effect once. If the failure persists, check that workers have free workflow slots with `baton doctor`.',
    retryable: true,
  },
  'Session.UnknownEvent': {
    meaning: 'No slice of the session handles events of this type. Nothing was changed.',
    remedy: 'Register the slice, or correct the type of the event.',
    retryable: false,
  },
  'Session.InvalidValue': {
    meaning:
      'The value of an event does not match the schema of a slice, or the slice refused it. Nothing was changed.',
    remedy: 'Correct the field that the message names.',
    retryable: false,
  },
  'Session.EventTooLarge': {
    meaning: 'An event is larger than 4 KiB of JSON. Nothing was changed.',
    remedy: 'Put large values into the store and their refs into the event.',
    retryable: false,
  },
  'Session.ReducerFailed': {
    meaning: 'The reducer of a slice threw, or did not return a list of valid records. Nothing was changed.',
    remedy: 'This is a bug in the slice that the message names.',
    retryable: false,
  },
  'Session.TooLarge': {
    meaning: 'The event would make the session larger than 256 KiB of JSON. Nothing was changed.',
    remedy: 'Keep less in the slice that the message names. Large values belong in the store.',
    retryable: false,
  },
  'Session.Conflict': {
    meaning:
      'Another agent changed the record first. The model sees this, with the current record, and decides how to continue.',
    remedy: 'None.',
    retryable: false,
  },
  'Session.SnapshotIncompatible': {
    meaning:
      'A session cannot start from this snapshot: a slice has another version, a record does not fit its schema, or the snapshot is damaged. If this worker lacks a slice, only the workflow task fails, and a worker that has the slice repeats it.',
    remedy: 'Start workers whose slices include those of the snapshot, with the same versions.',
    retryable: false,
  },
  'Session.DeltaMismatch': {
    meaning: 'Session changes were applied to a different version from the one they start from. Nothing was changed.',
    remedy: 'This is a bug in the engine.',
    retryable: false,
  },
  'Session.Fenced': {
    meaning: 'An execution of an agent that was reset or replaced tried to write to a shared session.',
    remedy: 'No action needed: the execution that replaced it continues.',
    retryable: false,
  },
  'Session.ProtocolError': {
    meaning: 'The host of a shared session received requests of an agent in an impossible order. Nothing was changed.',
    remedy: 'This is a bug in the engine.',
    retryable: false,
  },
  'Session.HostLost': {
    meaning: 'The host of a shared session is no longer running.',
    remedy: 'If the host was terminated by hand, reset it, then reset the agent that reports this.',
    retryable: false,
  },
  'Session.InvalidDefinition': {
    meaning: 'A slice is defined incorrectly, or two slices have the same name.',
    remedy: 'Correct the slice that the message names.',
    retryable: false,
  },
} as const;
