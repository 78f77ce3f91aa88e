import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { SecretDialog } from '../../../kit/secret.js';
import { useTexts } from '../../../texts.js';
import { formTexts } from './texts.js';

type PingDialogProps = { monitor: Pick<ManagedMonitor, 'name'>; url: string; onClose(): void };

/** The address that a job calls, once, with the lines that call it. */
export function PingDialog({ monitor, url, onClose }: PingDialogProps) {
  const texts = useTexts(formTexts);
  const { pingUses } = texts;
  const curl = `curl -fsS --retry 3 ${url}`;
  return (
    <SecretDialog
      title={texts.pingTitle({ name: monitor.name })}
      label={texts.ping}
      secret={url}
      uses={[
        { title: pingUses.curl, text: curl },
        { title: pingUses.cron, text: `0 3 * * *  backup.sh && ${curl}` },
        {
          title: pingUses.node,
          text: `await fetch('${url}', { method: 'POST', signal: AbortSignal.timeout(10_000) });`,
        },
        { title: pingUses.env, text: `HEARTBEAT_URL=${url}` },
      ]}
      onClose={onClose}
    />
  );
}
