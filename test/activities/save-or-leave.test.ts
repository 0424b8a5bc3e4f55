import { randomBytes } from 'node:crypto';
import { saveOrLeave } from '../../activities/save-or-leave';
import { StoreFullError } from '../../domain/store';
import { Attempts } from '../support/activity-environment';

const full = new StoreFullError('/store');
const small = Buffer.from('An answer.');
/** Does not fit into a heartbeat, since it can't be compressed. */
const large = randomBytes(1_300_000);

let writes: number;
let isFull: () => boolean;
const save = (bytes: Uint8Array) => () =>
  saveOrLeave(
    'answer/1',
    () => bytes,
    () => {
      writes += 1;
      return isFull() ? Promise.reject(full) : Promise.resolve('stored');
    },
  );

beforeEach(() => {
  writes = 0;
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('something paid for that the store does not take', () => {
  test('is left to the next attempt at once', async () => {
    isFull = () => true;
    await expect(new Attempts('runTurn').next(save(small), undefined)).rejects.toMatchObject({ type: 'Store.Full' });
    expect(writes).toBe(1);
  });

  test('is written again by the same attempt if it is too large for that', async () => {
    isFull = () => writes < 3;
    expect(await new Attempts('runTurn').next(save(large), undefined)).toBe('stored');
    expect(writes).toBe(3);
  });

  test('is given up after a minute if it is too large and the store does not come back', async () => {
    let clock = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => clock);
    isFull = () => {
      if (writes > 1) clock += 40_000;
      return true;
    };
    await expect(new Attempts('runTurn').next(save(large), undefined)).rejects.toMatchObject({ type: 'Store.Full' });
    expect(writes).toBe(3);
  });
});
