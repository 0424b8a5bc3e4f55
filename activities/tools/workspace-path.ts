import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { ToolError, type ToolContext } from './tool';

const secretNames = [
  /^\.git$/,
  /^\.env(\..*)?$/,
  /^\.(npmrc|netrc|pgpass|aws|ssh|gnupg)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /\.(pem|key|p12|pfx|jks|keystore)$/,
];

/** Names that are never shown to an agent, at whatever depth they stand. */
export function isSecretName(name: string): boolean {
  return secretNames.some((pattern) => pattern.test(name));
}

/** The real place of a path that a model named, or a refusal: nothing outside the mounted folder, and no secrets. */
export async function insideWorkspace(path: string, { workspace }: ToolContext): Promise<string> {
  if (workspace === undefined) throw new ToolError('This run has no workspace: there are no files to look at.');
  refuseBadPath(path);
  const root = await realpath(workspace.root);
  const real = await realpath(resolve(root, path)).catch(() => {
    throw new ToolError(`There is no "${path}" in the workspace. List the folder to see what is there.`);
  });
  const inside = relative(root, real);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new ToolError(`"${path}" leads out of the workspace.`);
  }
  if (inside.split(sep).some(isSecretName)) throw new ToolError(`"${path}" is not available: it may hold secrets.`);
  return real;
}

function refuseBadPath(path: string): void {
  if (path.includes('\0')) throw new ToolError('A path must not contain a NUL character.');
  if (path.length > 4_096) throw new ToolError('The path is longer than 4,096 characters.');
  if (isAbsolute(path)) throw new ToolError(`"${path}" is absolute: name files relative to the workspace.`);
}
