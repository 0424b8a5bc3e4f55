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
    'kubeconfig',
    'ops/KubeConfig',
    'prod.kubeconfig',
    'kubeconfig-staging.yaml',
    'prod.env',
    'config/Prod.ENV',
    'app.env.production',
    'env.bak',
    '.env.bak',
    '.config/gcloud/application_default_credentials.json',
    'home/.config/gcloud/credentials.db',
    '.config/gh/hosts.yml',
    'rclone.conf',
    '.config/rclone/other',
    'private.asc',
    'my-key.asc',
    'wp-config.php',
    'site/wp-config.php~',
    'wp-config-production.php',
    '.pgpass',
    '.docker/config.json',
    '.git-credentials',
    'store.p12',
    'store.PFX',
    'release.keystore',
    'vault.kdbx',
    '.htpasswd',
    'office.ovpn',
    'terraform.tfvars',
    'terraform.tfstate.backup',
    'prod.tfvars.json',
    '.vault-token',
    '.pypirc',
    '.gem/credentials',
    '.cargo/credentials.toml',
    '.m2/settings.xml',
    'id_ed25519',
    'id_ed25519_github',
    'id_rsa.old',
    'aws/credentials',
    'acme-firebase-adminsdk-x1.json',
    'my-serviceAccount.json',
    'client_secret_12.apps.json',
    'app-secrets.yaml',
    'secrets.prod.json',
    '.bash_history',
    '.claude/.credentials.json',
    'sftp-config.json',
    'www.example.com.key',
    'gha-creds-0a1b2c3d4e5f6789.json',
    '.gemini/oauth_creds.json',
    '.config/github-copilot/apps.json',
    '.config/configstore/firebase-tools.json',
    '.snowflake/connections.toml',
    '.supabase/access-token',
    '.local/share/com.vercel.cli/auth.json',
    'docker-config.json',
    '.passwd-s3fs',
    '.authinfo',
    '.smbcredentials',
    'users.htpasswd',
    'private_key.txt',
    'private-key',
    'deploy/key.json',
    'secret.txt',
    'token.txt',
    '.secret_key',
    // Windows ignores dots and spaces at the end of a name, and what follows a colon is another stream of the file.
    '.git./config',
    '.git /config',
    '.npmrc.',
    'id_rsa::$DATA',
  ])('are excluded: %s', (path) => {
    expect(isExcludedPath(path)).toBe(true);
  });

  test.each([
    '.gitignore',
    '.github/ci.yml',
    'environment.ts',
    'src/env.ts',
    'src/env.d.ts',
    'vite-env.d.ts',
    'webpack.env.js',
    'src/keys.ts',
    'id_rsa.pub',
    'id_ed25519_github.pub',
    'monkey',
    '.editorconfig',
    '.env.example',
    '.env.sample',
    'deploy/.env.template',
    'example.env',
    'terraform.tfvars.example',
    'service-account.example.json',
    'wp-config-sample.php',
    'credentials.md',
    'src/credentials.ts',
    'src/credentials/index.ts',
    'src/kubeconfig/load.go',
    'kubeconfig.go',
    'public.asc',
    'chapter-1.asc',
    'design/tokens.json',
    'locales/en/auth.json',
    'settings.xml',
    'secrets.ts',
    'package.json',
    '.config/nvim/init.lua',
    'history.md',
  ])('are not suspected in other files: %s', (path) => {
    expect(isExcludedPath(path)).toBe(false);
  });

  test('are not suspected in folders of sources that are named like files with secrets', () => {
    for (const path of ['src/credentials', 'src/kubeconfig', 'prod.env']) {
      expect([path, isExcludedPath(path, { isFolder: true })]).toEqual([path, false]);
      expect([path, isExcludedPath(path)]).toEqual([path, true]);
    }
    expect(isExcludedPath('.ssh', { isFolder: true })).toBe(true);
  });

  test('are recognized in paths of the greatest length without delay', () => {
    const longest = [`${'key-'.repeat(60)}/`.repeat(16), 'a'.repeat(4_096), '.env'.repeat(1_000)];
    const started = performance.now();
    for (const path of longest) isExcludedPath(path);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('are mounted when the user allows them: by name, by path, or by folder', () => {
    expect(isExcludedPath('a/.env.local', { allowed: ['.env.local'] })).toBe(false);
    expect(isExcludedPath('a/.env', { allowed: ['.env.local'] })).toBe(true);
    expect(isExcludedPath('certs/ca.pem', { allowed: ['certs/ca.pem'] })).toBe(false);
    expect(isExcludedPath('certs/other.pem', { allowed: ['certs/ca.pem'] })).toBe(true);
    expect(isExcludedPath('.baton/skills/a.yaml', { allowed: ['.baton/skills'] })).toBe(false);
    expect(isExcludedPath('.baton', { allowed: ['.baton/skills'] })).toBe(false);
    expect(isExcludedPath('.baton/state/x', { allowed: ['.baton/skills'] })).toBe(true);
  });

  test('aside, files of version control are never written', () => {
    expect(isProtectedPath('.git/hooks/pre-commit')).toBe(true);
    expect(isProtectedPath('a/.GIT/config')).toBe(true);
    expect(isProtectedPath('.gitignore')).toBe(false);
    expect(isProtectedPath('.github/workflows/ci.yml')).toBe(false);
  });

  test.each(['.git./hooks/x', '.git . /hooks/x', 'GIT~1/hooks/x', 'a/git~2/config', '.git::$INDEX_ALLOCATION/config'])(
    'aside, other spellings of .git are never written either: %s',
    (path) => {
      expect(isProtectedPath(path)).toBe(true);
    },
  );

  test('aside, names that only look similar are written', () => {
    expect(['git/x', '.gitx/x', 'legit~1', 'git~a'].filter(isProtectedPath)).toEqual([]);
  });
});
