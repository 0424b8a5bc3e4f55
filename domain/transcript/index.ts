// Transcripts: entries, their hash chain, and checkpoint packs. Never loaded in the workflow sandbox.
export {
  type ChainStep,
  type Checkpoint,
  effectiveOpening,
  encodeLink,
  type LoadedTranscript,
  parseLink,
  type ResolvedEntry,
  resolveEntry,
  textRefs,
  type TranscriptLink,
} from './chain';
export type { ChangeEntry, OpeningEntry, ReplyEntry, ToolResultsEntry, TranscriptEntry } from './entry';
export { type LiveReply, liveReplyEveryMs, liveReplyName, liveReplySchema } from './live-reply';
export { checkpointStart, encodePack, type NamedLink, parsePack } from './pack';
export { renderTranscript } from './render-transcript';
