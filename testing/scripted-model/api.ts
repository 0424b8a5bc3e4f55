import type { ErrorType } from './api-types';

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
  ) {
    super(message);
    this.status = httpStatusOf[type];
  }
}

/** Creates the error for a malformed request. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request_error', message);
}

/** The body of every error response, and the data of an `error` event in a stream. */
export function errorBody(type: string, message: string, requestId: string): object {
  return { type: 'error', error: { type, message }, request_id: requestId };
}
