import { formatAddress, parseAddress, type Place, resolvePath, takeKey } from '../../../page/state/address';

const places: readonly (readonly [address: string, place: Place])[] = [
  ['#/', { page: 'runs', status: null, q: '' }],
  ['#/?status=needs-you&q=oauth', { page: 'runs', status: 'needs you', q: 'oauth' }],
  ['#/r/r-1', { page: 'run', run: 'r-1', path: '', params: {} }],
  ['#/r/r-1/3m9q/9f0a', { page: 'run', run: 'r-1', path: '3m9q/9f0a', params: {} }],
  ['#/r/r-1/3m9q?t=12.1', { page: 'run', run: 'r-1', path: '3m9q', params: { t: '12.1' } }],
  ['#/r/r-1?c=call-7', { page: 'run', run: 'r-1', path: '', params: { c: 'call-7' } }],
  ['#/r/r-1/3m9q?i=i2', { page: 'run', run: 'r-1', path: '3m9q', params: { i: 'i2' } }],
  [
    '#/r/r-1?tab=prompt&s=delegation-1/tooling-context',
    { page: 'run', run: 'r-1', path: '', params: { tab: 'prompt', s: 'delegation-1/tooling-context' } },
  ],
  ['#/r/r-1?tab=files&f=src/a.ts', { page: 'run', run: 'r-1', path: '', params: { tab: 'files', f: 'src/a.ts' } }],
  ['#/r/r-1?q=status:failed', { page: 'run', run: 'r-1', path: '', params: { q: 'status:failed' } }],
];

describe('addresses', () => {
  test.each(places)('%s', (address, place) => {
    expect(parseAddress(address)).toEqual(place);
    expect(formatAddress(place)).toBe(address);
  });

  test('keep any text of a filter or id', () => {
    const place: Place = { page: 'run', run: 'a/b?c#d', path: 'x y/%zz', params: { q: '"a & b" = c#%' } };
    expect(parseAddress(formatAddress(place))).toEqual(place);
  });

  test('that are none are the list of runs', () => {
    for (const address of ['', '#', '#/nowhere', '#/r', '#/r/', '#%%%', '#/?status=odd'])
      expect(parseAddress(address)).toEqual({ page: 'runs', status: null, q: '' });
  });

  test('give their key away, whatever follows it', () => {
    expect(takeKey('#k=ab-C_1')).toEqual({ key: 'ab-C_1', rest: '#/' });
    expect(takeKey('#k=abc&/r/r-1?t=2')).toEqual({ key: 'abc', rest: '#/r/r-1?t=2' });
    expect(takeKey('#k=abc/r/r-1')).toEqual({ key: 'abc', rest: '#/r/r-1' });
    expect(takeKey('#/r/r-1?k=abc')).toEqual({ key: 'abc', rest: '#/r/r-1' });
    expect(takeKey('#/r/r-1?k=abc&t=3')).toEqual({ key: 'abc', rest: '#/r/r-1?t=3' });
    expect(takeKey('#/r/r-1?t=3')).toBeUndefined();
  });
});

describe('an agent in an address', () => {
  const children: Readonly<Record<string, readonly string[]>> = {
    '': ['3m9q', '3m00', '9f0a'],
    '9f0a': ['9f0a/ab12', '9f0a/ab1'],
  };
  const resolve = (path: string): ReturnType<typeof resolvePath> => resolvePath(path, (at) => children[at] ?? []);

  test('is found by its path, or by first letters that only it has', () => {
    expect(resolve('')).toEqual({ kind: 'found', path: '' });
    expect(resolve('9/ab12')).toEqual({ kind: 'found', path: '9f0a/ab12' });
    expect(resolve('3m9')).toEqual({ kind: 'found', path: '3m9q' });
  });

  test('is the one with exactly this id, also if others begin with it', () => {
    expect(resolve('9f0a/ab1')).toEqual({ kind: 'found', path: '9f0a/ab1' });
  });

  test('that several fit is not guessed', () => {
    expect(resolve('3m')).toEqual({ kind: 'several', nearest: '', candidates: ['3m9q', '3m00'] });
  });

  test('that does not exist has a nearest one above', () => {
    expect(resolve('9f0a/zz/yy')).toEqual({ kind: 'missing', nearest: '9f0a', unknown: 'zz' });
  });
});
