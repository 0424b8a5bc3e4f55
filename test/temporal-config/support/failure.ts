import { SetupError } from '../../../temporal-config/node/setup-error';

/** Returns the error of `work`, which must tell users what to do. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<SetupError> {
  let outcome: unknown;
  try {
    outcome = await (typeof work === 'function' ? work() : work);
  } catch (error) {
    expect(error).toBeInstanceOf(SetupError);
    return error as SetupError;
  }
  throw new Error(`did not fail but gave ${JSON.stringify(outcome)}`);
}
