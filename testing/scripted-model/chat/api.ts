import type { ErrorType } from '../api';
import type { ReportedError, WireFormat } from '../wire/format';

/** A tool call of an assistant message. Its arguments are JSON text. */
interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A part of a message whose content is a list. */
interface ChatTextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Content of a message. */
export type ChatContent = string | readonly ChatTextPart[];

/** One message of a request. */
export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: ChatContent }
  | {
      readonly role: 'assistant';
      readonly content?: ChatContent | null;
      readonly tool_calls?: readonly ChatToolCall[];
      /** What the model thought, as some servers send it and accept it back. */
      readonly reasoning_content?: string;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: ChatContent };

/** A tool that the model may call. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly strict?: boolean | null;
  };
}

/** Whether the model may or must call tools. */
export type ChatToolChoice =
  'none' | 'auto' | 'required' | { readonly type: 'function'; readonly function: { readonly name: string } };

/** Required format of the reply. */
type ChatResponseFormat =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly json_schema: {
        readonly name: string;
        readonly schema?: Readonly<Record<string, unknown>>;
        readonly strict?: boolean | null;
        readonly description?: string;
      };
    };

/** Body of a request to create a chat completion, as far as the server uses it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: ChatToolChoice;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly temperature?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly response_format?: ChatResponseFormat;
}

/** Returns the text of a message's content. */
export function contentText(content: ChatContent | null | undefined): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

/** Type and code by which this API reports each error of the script language. */
const reportedAs: Readonly<Record<ErrorType, { readonly type: string; readonly code: string | null }>> = {
  invalid_request_error: { type: 'invalid_request_error', code: null },
  authentication_error: { type: 'invalid_request_error', code: 'invalid_api_key' },
  billing_error: { type: 'insufficient_quota', code: 'insufficient_quota' },
  permission_error: { type: 'invalid_request_error', code: 'permission_denied' },
  not_found_error: { type: 'invalid_request_error', code: 'model_not_found' },
  request_too_large: { type: 'invalid_request_error', code: 'request_too_large' },
  rate_limit_error: { type: 'requests', code: 'rate_limit_exceeded' },
  api_error: { type: 'server_error', code: null },
  timeout_error: { type: 'server_error', code: 'timeout' },
  overloaded_error: { type: 'server_error', code: 'overloaded' },
};

function errorBody({ type, message, code, param }: ReportedError): object {
  const known = isErrorType(type) ? reportedAs[type] : { type, code: null };
  return { error: { message, type: known.type, param: param ?? null, code: code ?? known.code } };
}

function isErrorType(type: string): type is ErrorType {
  return Object.hasOwn(reportedAs, type);
}

/** The format of the Chat Completions API. */
export const chatFormat: WireFormat = {
  errorBody,
  streamError: (error) => dataLine(errorBody(error)),
  keepAlive: ': keep-alive\n\n',
};

/** Returns an event of a stream, which has data but no name. */
export function dataLine(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
