import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { goPrograms, obtain } from './go-programs';
import { freePorts, Service, startInFolder } from './service';

const run = promisify(execFile);

/** An S3 server with one empty bucket, on loopback. */
export interface ObjectStore {
  readonly service: Service;
  readonly endpoint: string;
  readonly bucket: string;
  /** Folder of the objects. */
  readonly objects: string;
  /** What a client reads from its environment: keys and region. */
  readonly env: Readonly<Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_REGION', string>>;
  /** Stops it and deletes its objects. */
  close(): Promise<void>;
}

/** Starts versitygw on a folder of its own, with copies of objects if there are any. Builds it first if it is not in the cache. */
export async function startObjectStore({ copyOf }: { copyOf?: string } = {}): Promise<ObjectStore> {
  const { versitygw = '' } = await obtain(goPrograms.objectStore);
  const folder = await mkdtemp(join(tmpdir(), 'baton-objects-'));
  const bucket = 'baton';
  const objects = join(folder, 'objects');
  // With its attributes, in which it keeps what it knows about an object.
  if (copyOf !== undefined) await run('cp', ['-a', copyOf, objects]);
  // A folder is a bucket.
  await mkdir(join(objects, bucket), { recursive: true });
  const [port = 0] = await freePorts(1);
  const [key, secret] = ['baton', randomBytes(16).toString('hex')];
  const service = new Service({
    name: 'the S3 server',
    command: versitygw,
    args: ['--port', `127.0.0.1:${port}`, 'posix', objects],
    env: { ROOT_ACCESS_KEY: key, ROOT_SECRET_KEY: secret, HOME: folder },
    cwd: folder,
    logFile: join(folder, 'log'),
    isReady: () => listensAt(port),
  });
  const close = await startInFolder(service, folder);
  const env = { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: 'us-east-1' };
  return { service, endpoint: `http://127.0.0.1:${port}`, bucket, objects, env, close };
}

function listensAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
