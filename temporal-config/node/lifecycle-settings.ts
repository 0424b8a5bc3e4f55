import { z } from 'zod';
import type { ReadSetting } from './setup-error';
import { listenAddress } from './telemetry-settings';

/** Settings of a worker's deployment, and of how it starts and stops. */
export interface LifecycleSettings {
  /** Worker Deployment that the worker belongs to. BATON_DEPLOYMENT; undefined for no versioning. */
  readonly deployment: string | undefined;
  /** Version within the deployment. BATON_BUILD_ID; undefined for a short hash of the workflow code. */
  readonly buildId: string | undefined;
  /** Address at which a worker says whether it is alive and ready. BATON_HEALTH_ADDRESS; undefined for none. */
  readonly healthAddress: string | undefined;
  /** Seconds that work in progress may take to end when a worker is stopped. BATON_SHUTDOWN_GRACE; default: 20. */
  readonly shutdownGraceSeconds: number;
}

/** Leaves ten seconds of the thirty that Kubernetes gives by default. */
const defaultGraceSeconds = 20;

const deployment = { allowed: 'letters, digits, _ and -', schema: z.string().regex(/^[\w-]{1,60}$/) };
const buildId = { allowed: 'letters, digits and . _ -', schema: z.string().regex(/^[\w.-]{1,60}$/) };
const grace = {
  allowed: 'an integer from 0 to 3600, in seconds',
  schema: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .refine((value) => value <= 3_600),
};

/** Reads the variables of a worker's deployment, and of how it starts and stops. */
export function lifecycleSettings(read: ReadSetting): LifecycleSettings {
  return {
    deployment: read('BATON_DEPLOYMENT', deployment),
    buildId: read('BATON_BUILD_ID', buildId),
    healthAddress: read('BATON_HEALTH_ADDRESS', listenAddress),
    shutdownGraceSeconds: read('BATON_SHUTDOWN_GRACE', grace) ?? defaultGraceSeconds,
  };
}
