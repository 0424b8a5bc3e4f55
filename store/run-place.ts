import { InvalidInputError } from '../domain/kernel';
import { formatPlace, isSamePlace, type RunPlace, runPlaceSchema, type RunStore } from '../domain/store';

const placeKey = 'place';

/**
 * Records where a run runs, once. Throws an `InvalidInputError` if the store already has data of a run with this id that
 * runs somewhere else: the two would share one folder, and the end of one would allow deleting the data of the other.
 */
export async function recordRunPlace(store: RunStore, place: RunPlace): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(runPlaceSchema.parse(place)));
  const recorded = parsePlace(await store.putIfAbsent(placeKey, bytes));
  if (recorded === undefined || isSamePlace(recorded, place)) return;
  throw new InvalidInputError(
    'runId',
    `the store already has data of a run "${store.runId}" that was started in ${formatPlace(recorded)}`,
    `Choose another run id. If that run is over, \`baton gc ${store.runId}\` deletes its data.`,
  );
}

/** Returns where a run runs; undefined when that is not recorded. */
export async function findRunPlace(store: RunStore): Promise<RunPlace | undefined> {
  const bytes = await store.find(placeKey);
  return bytes === undefined ? undefined : parsePlace(bytes);
}

function parsePlace(bytes: Uint8Array): RunPlace | undefined {
  try {
    return runPlaceSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}
