import type { Anthropic } from '@anthropic-ai/sdk';

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
