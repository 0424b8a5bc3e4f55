import { CallLog } from './call-log';
import type { CallRecord } from './call-log';
import { defaultModels } from './models';
import type { ModelSpec } from './models';
import type { Pace } from './reply/reply';
import type { Script } from './script';
import { SharedMessages } from './shared-messages';
import { PromptCache } from './usage/prompt-cache';

export interface ScriptedModelOptions {
  /** 0, the default, for any free one. */
  readonly port?: number;
  /** The one accepted key; without it, any that is not empty. */
  readonly apiKey?: string;
  readonly models?: readonly ModelSpec[];
  /** For answers that don't say how fast they leave. */
  readonly pace?: Pace;
  /** Called when a request has been accepted, before the script sees it. */
  readonly onCall?: (call: CallRecord) => void;
}

/** What the requests to one server share. */
export interface ServerState {
  script: Script;
  readonly apiKey: string | undefined;
  readonly models: readonly ModelSpec[];
  readonly pace: Required<Pace>;
  readonly onCall: ((call: CallRecord) => void) | undefined;
  readonly log: CallLog;
  readonly messages: SharedMessages;
  readonly cache: PromptCache;
  /** Where conversations ended with `pause_turn`: only there may a client continue without a user message. */
  readonly paused: Set<string>;
}

const defaultPace: Required<Pace> = { delayMs: 0, chunkDelayMs: 0, chunkSize: 40 };

export function createState(script: Script, options: ScriptedModelOptions): ServerState {
  return {
    script,
    apiKey: options.apiKey,
    models: options.models ?? defaultModels,
    pace: { ...defaultPace, ...options.pace },
    onCall: options.onCall,
    log: new CallLog(),
    messages: new SharedMessages(),
    cache: new PromptCache(),
    paused: new Set(),
  };
}
