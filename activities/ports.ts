import type { Message } from '../domain/model/messages';
import type { ModelSettings } from '../domain/model/settings';
import type { Usage } from '../domain/model/usage';
import type { OutputFormat } from '../domain/skill/output-format';
import type { ToolDescription } from '../domain/tool/description';

export interface ModelRequest {
  readonly settings: ModelSettings;
  readonly system: string;
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly Message[];
  /** The strict form of the final message, as far as the provider can help to get it. */
  readonly output?: OutputFormat | undefined;
  /** The model is to answer without tools; they stay listed, since what it was told before mentions them. */
  readonly toolChoice?: 'none' | undefined;
}

export interface ModelAnswer {
  readonly content: readonly { readonly type: string }[];
  readonly stopReason: string;
  /** All that was paid for. */
  readonly usage: Usage;
  /** Of the last request, when the answer took more than one: only it tells how much of the window is filled. */
  readonly lastUsage?: Usage;
  readonly model: string;
}

/** A provider of models. Throws failures that are already typed (activities/failures.ts). */
export interface ModelPort {
  /** Whether the provider can be given the schema of a structured answer; otherwise the prompt has to describe it. */
  readonly nativeStructuredOutput: boolean;
  reply(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** How many tokens the request would take as input, all of them, whether in the provider's cache or not. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
}
