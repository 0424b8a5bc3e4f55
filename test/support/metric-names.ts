import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './paths';

/** Returns the metrics that the dashboard and the alert rules in deploy/ name. */
export function monitoredMetrics(): string[] {
  const texts = ['alerts.yaml', 'dashboard.json'].map((name) =>
    readFileSync(join(projectRoot, 'deploy', 'monitoring', name), 'utf8'),
  );
  const names = texts.flatMap((text) => text.match(/\b(?:baton|temporal)_[a-z_]+\b/g) ?? []);
  // Labels of metrics look like metrics: `temporal_num_pollers{poller_type=…}` has no other one with our prefixes.
  return [...new Set(names)].sort();
}
