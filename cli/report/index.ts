export { gatherReport } from '../../client/report/gather-report';
export type { ReportAgent, ReportArtifact, ReportModel } from '../../client/report/report-model';
export { reportPage } from './page';
