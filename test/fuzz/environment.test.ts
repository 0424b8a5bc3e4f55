import fc from 'fast-check';
import { readSettings } from '../../temporal-config/node/settings';
import { SetupError } from '../../temporal-config/node/setup-error';
import { expectNotQuadratic } from './support/growth';
import { referencedVariables } from './support/variables';
import { fuzz, type Outcome } from './support/target';
import { hostileText } from './support/values';

/** Values that some variable accepts. */
const usual = fc.constantFrom(
  ...[
    '1',
    '10',
    '100',
    '0.5',
    'true',
    'off',
    'on',
    '10m',
    '2h',
    '2GiB',
    '512MiB',
    'INFO',
    'DEBUG',
    'baton',
    'my-queue',
  ],
  ...['http://127.0.0.1:8080', 'https://example.com/v1', '127.0.0.1:8081', ':9090', 'localhost:1', 'model,tool'],
  ...['/tmp/x', './folder', '~/x', 'file:./store', 'postgres://u:p@h/db', 's3://bucket/prefix', 'docker:node:22'],
  ...['unsafe', 'bubblewrap', 'PATH,HOME', '/opt:/usr/local', 'claude-sonnet-5-5', 'openai/gpt-5', '{"a":1}'],
  ...['k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', 'a@v1', 'x'.repeat(70)],
);

const environments = fc.dictionary(
  fc.constantFrom(...referencedVariables()),
  fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: hostileText }),
  { minKeys: 1, maxKeys: 3 },
);

function read(env: Readonly<Record<string, string>>): Outcome {
  try {
    // Everything that commands and workers decide from it is plain data.
    JSON.stringify(readSettings(env, '/project'));
    return 'accepted';
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    expect(Object.keys(env).some((name) => error.message.includes(name))).toBe(true);
    expect(error.remedy.length).toBeGreaterThan(0);
    return 'refused';
  }
}

describe('environment variables', () => {
  fuzz({
    name: 'environment variables',
    input: environments,
    run: read,
    shares: { accepted: 0.15, refused: 0.2 },
    cases: 3_000,
  });

  /** Parts that some variable repeats, separates or searches for. */
  const parts = ['x', ',', '/a:', '%3A%2F%2F', 'password', '{"a":'];
  /** Linux allows variables of 128 KiB, four times this. */
  const quarter = 32 * 1024;
  test.each(parts)('full of "%s" take no time that grows with the square of their length', async (part) => {
    for (const name of referencedVariables())
      await expectNotQuadratic(
        quarter,
        (size) => {
          // Stores are addresses.
          const value = (name === 'BATON_STORE' ? 's3://x?' : '') + part.repeat(size / part.length);
          return () => read({ [name]: value });
        },
        quarter,
      );
  });
});
