export { gatherReport } from './gather';
export type { ReportAgent, ReportArtifact, ReportModel } from './model';
export { reportPage } from './page';
