import { isNeverWritten, isWithheld } from '../../../domain/workspace/withheld';

describe('secrets', () => {
  test.each([
    '.env',
    '.env.local',
    '.envrc',
    'packages/api/.env.production',
    '.ENV',
    '.git/config',
    '.Git/config',
    'vendor/lib/.git',
    '.ssh/id_ed25519',
    'keys/id_rsa',
    'server.pem',
    'deploy/tls.KEY',
    '.npmrc',
    '.netrc',
    '.aws/credentials',
    'infra/terraform.tfstate',
    'secrets.yaml',
    'service-account-prod.json',
    '.baton/state/store',
  ])('are withheld: %s', (path) => {
    expect(isWithheld(path)).toBe(true);
  });

  test.each(['.gitignore', '.github/ci.yml', 'environment.ts', 'src/keys.ts', 'id_rsa.pub', 'monkey', '.editorconfig'])(
    'are not seen where there are none: %s',
    (path) => {
      expect(isWithheld(path)).toBe(false);
    },
  );

  test('that the user asked for are mounted: by name, by path, and with all below', () => {
    expect(isWithheld('a/.env.example', ['.env.example'])).toBe(false);
    expect(isWithheld('a/.env', ['.env.example'])).toBe(true);
    expect(isWithheld('certs/ca.pem', ['certs/ca.pem'])).toBe(false);
    expect(isWithheld('certs/other.pem', ['certs/ca.pem'])).toBe(true);
    expect(isWithheld('.baton/skills/a.yaml', ['.baton/skills'])).toBe(false);
    expect(isWithheld('.baton', ['.baton/skills'])).toBe(false);
    expect(isWithheld('.baton/state/x', ['.baton/skills'])).toBe(true);
  });

  test('or not: what belongs to version control is never written', () => {
    expect(isNeverWritten('.git/hooks/pre-commit')).toBe(true);
    expect(isNeverWritten('a/.GIT/config')).toBe(true);
    expect(isNeverWritten('.gitignore')).toBe(false);
  });
});
