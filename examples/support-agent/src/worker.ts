import { readSettings, runWorker } from 'baton-agents/worker';
import { extensions } from './extensions.js';

void runWorker({
  settings: readSettings(),
  apiKey: process.env['ANTHROPIC_API_KEY'],
  extensions,
  log: console.error,
});
