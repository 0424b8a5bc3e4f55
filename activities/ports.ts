import type { Message } from '../domain/model/messages';
import type { ModelSettings } from '../domain/model/settings';
import type { Usage } from '../domain/model/usage';
import type { ToolDescription } from '../domain/tool/description';

export interface ModelRequest {
  readonly settings: ModelSettings;
  readonly system: string;
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly Message[];
}

export interface ModelAnswer {
  readonly content: readonly { readonly type: string }[];
  readonly stopReason: string;
  readonly usage: Usage;
  readonly model: string;
}

/** A provider of models. Throws failures that are already typed (activities/failures.ts). */
export interface ModelPort {
  /** Whether the provider can be given the schema of a structured answer; otherwise the prompt has to describe it. */
  readonly nativeStructuredOutput: boolean;
  reply(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}
