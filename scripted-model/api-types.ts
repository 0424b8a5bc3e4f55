import type { Anthropic } from '@anthropic-ai/sdk';

/**
 * What crosses the wire, by the SDK's own types: only types are imported, so the server has no dependency at run time,
 * and a change of the API's shapes in a new SDK shows up as a type error here.
 */
export type ModelRequest = Anthropic.MessageCreateParams;
export type CountTokensRequest = Anthropic.MessageCountTokensParams;
export type PromptRequest = Pick<ModelRequest, 'model' | 'messages' | 'system' | 'tools' | 'cache_control'>;
export type RequestMessage = Anthropic.MessageParam;
export type RequestBlock = Anthropic.ContentBlockParam;
export type Message = Anthropic.Message;
export type StreamEvent = Anthropic.RawMessageStreamEvent;
export type StopReason = Anthropic.StopReason;
export type ModelInfo = Anthropic.ModelInfo;
export type TokenUsage = Anthropic.Usage;

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
