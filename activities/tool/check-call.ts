import { checkCall as checkInput, type CheckCallInput, type CheckedCall } from '../../domain/tool';
import { readSpilled } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Checks the arguments of a tool call whose input is in the store. */
export async function checkCall(
  { store }: SharedDependencies,
  { call, rules, ...location }: CheckCallInput,
): Promise<CheckedCall> {
  const text = await readSpilled(runStoreFor(store, location), call.input, `input of tool call ${call.id}`);
  return checkInput(rules, text);
}
