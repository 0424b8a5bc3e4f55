import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/** Only field of the value that replaces a payload which cannot be decoded: the reason. */
const reasonField = '$unreadablePayload';

/**
 * Decodes payloads like the SDK's own converter, but never throws: a payload that is not JSON becomes a value that says
 * so. The SDK decodes what a workflow is sent before any handler sees it, and an exception there would fail the workflow
 * task forever. Loaded by the worker and, as part of the bundle, by the workflow sandbox.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload: (payload) => {
    try {
      const problem = problems[encodingOf(payload)];
      return defaultPayloadConverter.fromPayload(problem === undefined ? payload : placeholder(problem));
    } catch (error) {
      return defaultPayloadConverter.fromPayload(placeholder(error instanceof Error ? error.message : String(error)));
    }
  },
};

/** Why payloads of these encodings are not accepted, although the SDK's converter accepts or does not explain them. */
const problems: Readonly<Record<string, string>> = {
  '': 'it does not say how it is encoded',
  'binary/plain': 'it is binary data',
};

function encodingOf({ metadata }: Payload): string {
  return new TextDecoder().decode(metadata?.['encoding'] ?? undefined);
}

function placeholder(reason: string): Payload {
  return defaultPayloadConverter.toPayload({ [reasonField]: reason.slice(0, 200) });
}

/** Returns why a value could not be decoded; undefined when it was. */
export function unreadableReason(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, reasonField)) return undefined;
  return String(Object.entries(value)[0]?.[1]);
}
