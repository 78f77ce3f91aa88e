import { useMemo } from 'preact/hooks';
import type { Installation } from '../../../../contract/manage/installation.js';
import { type Format, useFormat } from '../../format.js';
import { Panel } from '../../kit/panel.js';
import { Empty } from '../../kit/states.js';
import { textFor, useTexts } from '../../texts.js';
import { type InstallationTexts, installationTexts } from './texts.js';

type Instance = Installation['instances'][number];

/** The processes of the service. */
export function Instances({ instances }: { instances: readonly Instance[] }) {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const ordered = useMemo(
    () => [...instances].sort((a, b) => a.host.localeCompare(b.host) || a.process - b.process),
    [instances],
  );
  return (
    <Panel title={texts.instances} note={texts.instancesWhy}>
      {ordered.length === 0 ? (
        <Empty title={texts.noInstances} />
      ) : (
        <ul class="instance-list">
          {ordered.map((instance) => (
            <li key={instance.id}>
              <p>
                <strong>{instance.host}</strong> <span class="note">#{instance.process}</span>
                <span class="note instance-version">{instance.version}</span>
              </p>
              <p class="instance-roles">
                {instance.roles.map((role) => (
                  <span key={role} class="role">
                    {textFor(texts.roles, role) ?? role}
                  </span>
                ))}
              </p>
              <p class="note">{sayTimes(instance, texts, format)}</p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function sayTimes({ startedAt, seenAt }: Instance, texts: InstallationTexts, format: Format): string {
  const ago = (time: string) => format.ago(Math.max(0, Date.now() - Date.parse(time)));
  return `${texts.started} ${ago(startedAt)} · ${texts.seen} ${ago(seenAt)}`;
}
