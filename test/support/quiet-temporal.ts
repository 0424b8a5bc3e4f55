import { silenceWorkers } from '../../testing/quiet-runtime';

// Also for tests that start a worker without a harness.
silenceWorkers();
