import type { Anthropic } from '@anthropic-ai/sdk';

/** HTTP status of each of the API's error types. */
export const httpStatusOf: Readonly<Record<ErrorType, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Thrown for a request that the API would refuse before any model sees it. */
export class ApiError extends Error {
  readonly status: number;

  constructor(
    readonly type: ErrorType,
    message: string,
    /** Fields of an error that only the Chat Completions API has. */
    readonly details: { readonly code?: string; readonly param?: string } = {},
  ) {
    super(message);
    this.status = httpStatusOf[type];
  }
}

/** Creates the error for a malformed request. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request_error', message);
}

/**
 * The API's types, taken from the SDK. Only types are imported, so the server has no run-time dependency, and a changed
 * API in a new SDK shows up as a type error here.
 */
export type ModelRequest = Anthropic.MessageCreateParams;
/** Body of a request to count tokens. */
export type CountTokensRequest = Anthropic.MessageCountTokensParams;
/** The parts of a request that make up the prompt. */
export type PromptRequest = Pick<ModelRequest, 'model' | 'messages' | 'system' | 'tools' | 'cache_control'>;
/** One message of a request. */
export type RequestMessage = Anthropic.MessageParam;
/** One content block of a request message. */
export type RequestBlock = Anthropic.ContentBlockParam;
/** A complete response message. */
export type Message = Anthropic.Message;
/** One event of a streamed response. */
export type StreamEvent = Anthropic.RawMessageStreamEvent;
/** Why the model stopped. */
export type StopReason = Anthropic.StopReason;
/** A model as the API lists it. */
export type ModelInfo = Anthropic.ModelInfo;
/** Token counts of a response. */
export type TokenUsage = Anthropic.Usage;

/** The API's error types. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'api_error'
  | 'overloaded_error';

/** Returns the content blocks of a message; a plain string is one text block. */
export function blocksOf(message: RequestMessage): readonly RequestBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}
