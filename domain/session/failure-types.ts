/** What can go wrong with a session; part of the one table in `domain/failure-types.ts`, which also checks its form. */
export const sessionFailureTypes = {
  'Session.UnknownEvent': {
    meaning: 'No slice of the session listens to an event of this type. Nothing was changed.',
    remedy: 'Register the slice, or correct the type of the event.',
    retryable: false,
  },
  'Session.InvalidValue': {
    meaning:
      'The value of an event does not have the form that a slice asks for, or makes no sense there. Nothing was changed.',
    remedy: 'Correct the field that the message names.',
    retryable: false,
  },
  'Session.EventTooLarge': {
    meaning: 'An event has more than 4 KiB of JSON. Nothing was changed.',
    remedy: 'Put what is large into the store, and its ref into the event.',
    retryable: false,
  },
  'Session.ReducerFailed': {
    meaning:
      'The reducer of a slice threw, or made something that is not a list of valid records. Nothing was changed.',
    remedy: 'This is a defect of the slice that the message names.',
    retryable: false,
  },
  'Session.TooLarge': {
    meaning: 'With the event, the session would have more than 256 KiB of JSON. Nothing was changed.',
    remedy: 'Keep less in the slice that the message names: large values belong in the store.',
    retryable: false,
  },
  'Session.Conflict': {
    meaning: 'Somebody else changed the record first. The model is told, with the record as it is now, and decides.',
    remedy: 'None.',
    retryable: false,
  },
  'Session.SnapshotIncompatible': {
    meaning: 'A session cannot start from this snapshot: it was taken from other slices, or is damaged.',
    remedy: 'Run parent and child with the same version of Baton and the same slices.',
    retryable: false,
  },
  'Session.DeltaMismatch': {
    meaning: 'Changes of a session were applied to another version of it than the one they start from.',
    remedy: 'This is a defect of the engine: nothing was changed.',
    retryable: false,
  },
  'Session.Fenced': {
    meaning: 'An execution of an agent that was reset or replaced tried to write to a shared session.',
    remedy: 'None: the execution that took its place goes on.',
    retryable: false,
  },
  'Session.ProtocolError': {
    meaning: 'The host of a shared session got requests of an agent in an order that cannot be.',
    remedy: 'This is a defect of the engine: nothing was changed.',
    retryable: false,
  },
  'Session.HostLost': {
    meaning: 'The host of a shared session is not there any more.',
    remedy: 'Was it terminated by hand? Reset the host, then the agent that reports this.',
    retryable: false,
  },
  'Session.InvalidDefinition': {
    meaning: 'A slice is defined wrongly, or two have the same name.',
    remedy: 'Correct the slice that the message names.',
    retryable: false,
  },
} as const;
