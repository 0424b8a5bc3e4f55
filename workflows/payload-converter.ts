import { defaultPayloadConverter, type Payload, type PayloadConverter, type RawValue } from '@temporalio/common';
import { inWorkflowContext } from '@temporalio/workflow';
import { encryptedPlaceholder, KeyMissingError } from '../domain/store';

/** Only field of the value that replaces a payload which cannot be decoded: the reason. */
const reasonField = '$unreadablePayload';

/**
 * Decodes payloads like the SDK's own converter, but never throws: a payload that is not JSON becomes a value that says
 * so. The SDK decodes what a workflow is sent before any handler sees it, and an exception there would fail the workflow
 * task forever. Loaded by the worker and, as part of the bundle, by the workflow sandbox.
 *
 * The exception is a payload that is still encrypted, because the worker does not have its key. Then the workflow task has
 * to fail until another worker takes it: the run must not end for want of a key. An activity gets a value that says so,
 * and fails without its attempt being counted. Messages come from anyone, so they are decoded by `decodeMessage`.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload: (payload) => {
    const keyId = missingKeyIn(payload);
    if (keyId !== undefined && inWorkflowContext()) throw new KeyMissingError(keyId);
    // The caller checks it against a contract.
    return decode(payload) as never;
  },
};

/** Decodes an argument of a message. One whose key is missing becomes a value that says so, too. */
export function decodeMessage(argument: RawValue | undefined): unknown {
  return argument === undefined ? undefined : decode(argument.payload);
}

function decode(payload: Payload): unknown {
  const keyId = missingKeyIn(payload);
  if (keyId !== undefined) return encryptedPlaceholder(keyId);
  try {
    const problem = problems[textOf(payload, 'encoding')];
    return defaultPayloadConverter.fromPayload(problem === undefined ? payload : placeholder(problem));
  } catch (error) {
    return defaultPayloadConverter.fromPayload(placeholder(error instanceof Error ? error.message : String(error)));
  }
}

/** The id of the key that a payload is still encrypted with. Without an id it is nothing that Baton has encrypted. */
function missingKeyIn(payload: Payload): string | undefined {
  if (textOf(payload, 'encoding') !== 'binary/encrypted') return undefined;
  return textOf(payload, 'encryption-key-id') || undefined;
}

/** Why payloads of these encodings are not accepted, although the SDK's converter accepts or does not explain them. */
const problems: Readonly<Record<string, string>> = {
  '': 'it does not say how it is encoded',
  'binary/plain': 'it is binary data',
  'binary/damaged': 'it is encrypted, but with another key of the same id, or was changed since',
};

function textOf({ metadata }: Payload, field: string): string {
  return new TextDecoder().decode(metadata?.[field] ?? undefined);
}

function placeholder(reason: string): Payload {
  return defaultPayloadConverter.toPayload({ [reasonField]: reason.slice(0, 200) });
}

/** Returns why a value could not be decoded; undefined when it was. */
export function unreadableReason(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, reasonField)) return undefined;
  return String(Object.entries(value)[0]?.[1]);
}
