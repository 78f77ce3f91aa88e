export { type Announcement, announceDeployment, removeDeployment } from './announce.js';
export {
  type Deployment,
  type DeploymentFilter,
  findDeployment,
  findLastDeployment,
  listDeployments,
  pruneDeployments,
} from './deployment.js';
export { noteSeenVersions } from './note-seen.js';
