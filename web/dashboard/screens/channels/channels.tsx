import { useAddress } from '../../address/use-address.js';
import { ChannelList } from './channel-list.js';
import { OneChannel } from './one-channel.js';

/** The channels of a page, or one of them with its messages; the address says which. */
export default function Channels() {
  const { query } = useAddress();
  const { channel } = query;
  return channel === undefined ? <ChannelList /> : <OneChannel key={channel} id={channel} />;
}
