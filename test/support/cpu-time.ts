/**
 * Runs the work and returns the processor time that this process needed for it, in milliseconds. Unlike the time on the
 * clock, it hardly depends on what else the machine does.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
