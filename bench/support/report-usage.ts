// Loaded by a measured process: writes what it needed to descriptor 3 when it exits.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuMilliseconds = (userCPUTime + systemCPUTime) / 1_000;
  writeSync(3, JSON.stringify({ cpuMilliseconds, megabytes: maxRSS / 1_000 }));
});
