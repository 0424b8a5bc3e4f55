import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/** Field of the value that stands for a payload which can't be decoded. It holds the reason. */
const reasonField = '$unreadablePayload';

/**
 * Decodes payloads like the SDK's own converter, but never throws: a payload that is not JSON becomes a value that says
 * so. The SDK decodes what a workflow is sent before any handler sees it, and an exception there would fail the workflow
 * task forever. Loaded by the worker and, as part of the bundle, by the workflow sandbox.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload<T>(payload: Payload): T {
    try {
      const value = defaultPayloadConverter.fromPayload<T>(payload);
      return ArrayBuffer.isView(value) ? unreadable('it is binary data') : value;
    } catch (error) {
      return unreadable(error instanceof Error ? error.message : String(error));
    }
  },
};

function unreadable<T>(reason: string): T {
  const value = { [reasonField]: reason.slice(0, 200) };
  return defaultPayloadConverter.fromPayload<T>(defaultPayloadConverter.toPayload(value));
}

/** Returns why a value could not be decoded; undefined when it was. */
export function unreadableReason(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, reasonField)) return undefined;
  return String(Object.entries(value)[0]?.[1]);
}
