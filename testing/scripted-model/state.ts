import { CallLog, type CallRecord } from './call-log';
import { defaultModels, type ModelSpec } from './models';
import type { Pace } from './reply/reply';
import { type Script, SharedMessages } from './script';
import { PromptCache } from './usage/prompt-cache';

/** Options of `startScriptedModel`. */
export interface ScriptedModelOptions {
  /** Port to listen on. Default: 0, which selects a free port. */
  readonly port?: number;
  /** The only accepted API key. Default: any key that is not empty. */
  readonly apiKey?: string;
  /** Models that the server offers. Default: `defaultModels`. */
  readonly models?: readonly ModelSpec[];
  /** Pace of replies that don't set their own. */
  readonly pace?: Pace;
  /** Called for each valid request, before the script. */
  readonly onCall?: (call: CallRecord) => void;
}

/** State shared by all requests to one server. */
export interface ServerState {
  script: Script;
  readonly apiKey: string | undefined;
  readonly models: readonly ModelSpec[];
  readonly pace: Required<Pace>;
  readonly onCall: ((call: CallRecord) => void) | undefined;
  readonly log: CallLog;
  readonly messages: SharedMessages;
  readonly cache: PromptCache;
  /** Ends of conversations that stopped with `pause_turn`. Only those may be continued without a user message. */
  readonly paused: Set<string>;
}

const defaultPace: Required<Pace> = { delayMs: 0, chunkDelayMs: 0, chunkSize: 40 };

/** Creates the state of a server. */
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
} /** Blocks an async script until a test opens the gate. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Creates a closed gate. */
export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
