import { Installation, JobRun } from '../../../contract/manage/installation.js';
import { manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** The state of the installation, and its jobs. */
export function manageInstallationRoutes({ installation }: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/installation',
      operationId: 'getInstallation',
      summary: 'Version, stores, instances, jobs and backlogs of the installation',
      permission: 'installation.write',
      answers: { 200: Installation },
      async manage({ ctx }) {
        ctx.body = await installation.load();
      },
    }),
    manageRoute({
      method: 'POST',
      path: '/api/v1/jobs/:name/run',
      operationId: 'runJob',
      summary: 'Run a job now',
      description:
        'Run a job now, whether or not it is due. A run that takes longer than a few seconds goes on after the answer, which is then 202',
      permission: 'installation.write',
      answers: { 200: JobRun, 202: JobRun },
      errors: ['notFound', 'conflict'],
      async manage({ ctx, by, params }) {
        const run = await installation.runJob(params['name'] ?? '', by);
        ctx.status = run.state === 'running' ? 202 : 200;
        ctx.body = run;
      },
    }),
  ];
}
