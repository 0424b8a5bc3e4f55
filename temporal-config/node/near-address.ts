import { isIP } from 'node:net';

/** Addresses of this machine and of private networks. */
const nearAddresses = [
  /^127\./,
  /^10\./,
  /^192\.168\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^::1$/,
  /^f[cd][0-9a-f]{2}:/i,
  /^fe80:/i,
];

/** Whether an address (`host:port`) is of this machine or of a private network. The place of any other name is unknown. */
export function isNear(address: string): boolean {
  const host = address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost') return true;
  return isIP(host) !== 0 && nearAddresses.some((pattern) => pattern.test(host));
}
