/** Names that may hold secrets, or that belong to other programs, at whatever depth they stand. Compared without case. */
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

/** Folders of version control: what is written there can run as a program on the user's machine. Never written to. */
const neverWritten = /^\.(git|hg|svn|jj)$/i;

function isWithheldName(name: string): boolean {
  const lower = name.toLowerCase();
  return withheldNames.some((pattern) => pattern.test(lower));
}

/**
 * Whether this path is kept out of workspaces. `allowed` lists paths or plain names that the user asked for all the same:
 * each stands for itself and all below it.
 */
export function isWithheld(path: string, allowed: readonly string[] = []): boolean {
  const names = path.split('/');
  if (!names.some(isWithheldName)) return false;
  return !allowed.some((item) => names.includes(item) || within(path, item) || within(item, path));
}

export function isNeverWritten(path: string): boolean {
  return path.split('/').some((name) => neverWritten.test(name));
}

/** A folder on the way to an allowed path counts as well: it has to be entered to get there. */
function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
