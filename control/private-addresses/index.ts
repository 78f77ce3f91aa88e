export { followPrivateAddresses, type PrivateAddressFollower } from './follow.js';
export {
  changePrivateAddresses,
  decidePrivateAddresses,
  loadPrivateAddressChoice,
} from './private-addresses.js';
