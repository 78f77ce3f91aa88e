export { changePolicy, deletePolicy, parsePolicy, putPolicy } from './change-policy.js';
export {
  findPolicy,
  hasPolicy,
  listPolicies,
  loadDefaultPolicies,
  loadPolicy,
  type Policy,
  type Target,
  toManagedPolicy,
} from './find-policies.js';
