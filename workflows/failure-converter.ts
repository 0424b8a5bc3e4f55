import {
  DefaultFailureConverter,
  type FailureConverter,
  type PayloadConverter,
  type SerializationContext,
} from '@temporalio/common';

type Failure = ReturnType<FailureConverter['errorToFailure']>;

/** Moves messages and stacks of failures into a payload, where they are encrypted like everything else. */
export class EncodedFailureConverter extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  /** Copies the failure, because the SDK's converter changes it: an error that is sent twice would lose its message. */
  override errorToFailureInner(error: unknown, converter: PayloadConverter, context?: SerializationContext): Failure {
    return { ...super.errorToFailureInner(error, converter, context) };
  }
}

/**
 * Converts failures of workflows. A worker that encrypts defines the global before it loads this code. So the code is the
 * same with and without encryption, and so is its build id.
 */
export const failureConverter: FailureConverter = Object.hasOwn(globalThis, '__batonEncodesFailures')
  ? new EncodedFailureConverter()
  : new DefaultFailureConverter();
