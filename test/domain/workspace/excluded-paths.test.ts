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
  ])('are excluded: %s', (path) => {
    expect(isWithheld(path)).toBe(true);
  });

  test.each(['.gitignore', '.github/ci.yml', 'environment.ts', 'src/keys.ts', 'id_rsa.pub', 'monkey', '.editorconfig'])(
    'are not suspected in other files: %s',
    (path) => {
      expect(isWithheld(path)).toBe(false);
    },
  );

  test('are mounted when the user allows them: by name, by path, or by folder', () => {
    expect(isWithheld('a/.env.example', ['.env.example'])).toBe(false);
    expect(isWithheld('a/.env', ['.env.example'])).toBe(true);
    expect(isWithheld('certs/ca.pem', ['certs/ca.pem'])).toBe(false);
    expect(isWithheld('certs/other.pem', ['certs/ca.pem'])).toBe(true);
    expect(isWithheld('.baton/skills/a.yaml', ['.baton/skills'])).toBe(false);
    expect(isWithheld('.baton', ['.baton/skills'])).toBe(false);
    expect(isWithheld('.baton/state/x', ['.baton/skills'])).toBe(true);
  });

  test('aside, files of version control are never written', () => {
    expect(isNeverWritten('.git/hooks/pre-commit')).toBe(true);
    expect(isNeverWritten('a/.GIT/config')).toBe(true);
    expect(isNeverWritten('.gitignore')).toBe(false);
  });
});
