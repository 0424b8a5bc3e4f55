/**
 * Names of files and folders that may contain secrets or that belong to other programs, at any depth. Case-insensitive.
 */
const withheldNames: readonly RegExp[] = [
  /^\.(git|hg|svn|jj|baton)$/,
  /^\.env/,
  /^\.(ssh|gnupg|aws|azure|gcloud|kube|docker|password-store|vault-token)$/,
  /^[._]netrc$/,
  /^\.(npmrc|yarnrc|yarnrc\.yml|pypirc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|s3cfg|boto)$/,
  /^id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?$/,
  /\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|gpg|tfstate|tfvars)$/,
  /^(credentials|client_secret.*|service[-_]?account.*)\.json$/,
  /^secrets?\.(json|ya?ml|toml|env)$/,
];

/**
 * Version control folders. They are never written to, because their files can run as programs on the user's machine.
 */
const neverWritten = /^\.(git|hg|svn|jj)$/i;

function isWithheldName(name: string): boolean {
  const lower = name.toLowerCase();
  return withheldNames.some((pattern) => pattern.test(lower));
}

/**
 * Returns whether a path is excluded from workspaces. `allowed` lists paths or names that the user explicitly included;
 * each entry also includes everything below it.
 */
export function isExcludedPath(path: string, allowed: readonly string[] = []): boolean {
  const names = path.split('/');
  if (!names.some(isWithheldName)) return false;
  return !allowed.some((item) => names.includes(item) || within(path, item) || within(item, path));
}

/** Returns whether a path is inside a version control folder and must not be written. */
export function isProtectedPath(path: string): boolean {
  return path.split('/').some((name) => neverWritten.test(name));
}

/**
 * Whether a path is a folder or below it. `isExcludedPath` also allows folders above an allowed path, which it must enter.
 */
function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
