import { isExcludedPath, isProtectedPath } from '../../../domain/workspace';

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
    expect(isExcludedPath(path)).toBe(true);
  });

  test.each(['.gitignore', '.github/ci.yml', 'environment.ts', 'src/keys.ts', 'id_rsa.pub', 'monkey', '.editorconfig'])(
    'are not suspected in other files: %s',
    (path) => {
      expect(isExcludedPath(path)).toBe(false);
    },
  );

  test('are mounted when the user allows them: by name, by path, or by folder', () => {
    expect(isExcludedPath('a/.env.example', ['.env.example'])).toBe(false);
    expect(isExcludedPath('a/.env', ['.env.example'])).toBe(true);
    expect(isExcludedPath('certs/ca.pem', ['certs/ca.pem'])).toBe(false);
    expect(isExcludedPath('certs/other.pem', ['certs/ca.pem'])).toBe(true);
    expect(isExcludedPath('.baton/skills/a.yaml', ['.baton/skills'])).toBe(false);
    expect(isExcludedPath('.baton', ['.baton/skills'])).toBe(false);
    expect(isExcludedPath('.baton/state/x', ['.baton/skills'])).toBe(true);
  });

  test('aside, files of version control are never written', () => {
    expect(isProtectedPath('.git/hooks/pre-commit')).toBe(true);
    expect(isProtectedPath('a/.GIT/config')).toBe(true);
    expect(isProtectedPath('.gitignore')).toBe(false);
  });
});
