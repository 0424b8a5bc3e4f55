import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';

/** The only address that a dev server listens on. */
export const loopback = '127.0.0.1';

/** The ports of a dev server. */
export interface Ports {
  readonly grpc: number;
  readonly ui: number;
}

/** Temporal's default ports, at which other tools look for a server. */
export const defaultPorts: Ports = { grpc: 7233, ui: 8233 };

/** Returns the preferred ports if they are free, otherwise other free ones. */
export async function choosePorts(preferred: Partial<Ports>): Promise<Ports> {
  const grpc = await freePort(preferred.grpc);
  return { grpc, ui: await freePort(preferred.ui) };
}

async function freePort(preferred: number | undefined): Promise<number> {
  return (preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0)) ?? 0;
}

/** Returns the port that could be bound; undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(undefined);
    });
    probe.listen({ host: loopback, port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === 'object' && address ? address.port : undefined);
      });
    });
  });
}

/** A socket that a process listens on. */
export interface ListeningSocket {
  readonly isLoopback: boolean;
  readonly port: number;
}

/** Returns the sockets that a process listens on; undefined on systems other than Linux, which do not show them. */
export async function listenersOf(pid: number): Promise<ListeningSocket[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [inodes, v4, v6] = await Promise.all([socketsOf(pid), listening(pid, 'tcp'), listening(pid, 'tcp6')]);
  return [...v4, ...v6].filter(({ inode }) => inodes.has(inode));
}

async function socketsOf(pid: number): Promise<Set<string>> {
  const fds = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** Matches 127.0.0.0/8, ::1 and IPv4-mapped 127.0.0.0/8. The kernel prints 32-bit words in little-endian order. */
const loopbackAddress = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;
const listenState = '0A';

/** Whether an address, as printed in /proc/net/tcp and tcp6, is a loopback address. */
export function isLoopbackAddress(printed: string): boolean {
  return loopbackAddress.test(printed);
}

async function listening(pid: number, protocol: 'tcp' | 'tcp6'): Promise<(ListeningSocket & { inode: string })[]> {
  const table = await readFile(`/proc/${pid}/net/${protocol}`, 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== listenState) return [];
    return [{ inode, isLoopback: isLoopbackAddress(address), port: parseInt(port, 16) }];
  });
}
