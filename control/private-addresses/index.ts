export { followPrivateAddresses, type PrivateAddressFollower } from './follow-private-addresses.js';
export {
  changePrivateAddresses,
  decidePrivateAddresses,
  loadPrivateAddressChoice,
} from './private-addresses.js';
