import type { ComponentChildren } from 'preact';
import type { StoredCheck } from '../../../../../contract/manage/monitor-checks.js';
import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { type Format, useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { type MonitorsTexts, monitorsTexts } from '../texts.js';
import { certificateOfMonitor, certificateTones } from './certificate.js';

type SettingsProps = { monitor: ManagedMonitor; newest: StoredCheck | undefined };

/** The settings of a monitor; `newest` is the newest known check, for the state of the certificate. */
export function Settings({ monitor, newest }: SettingsProps) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const certificate = certificateOfMonitor(monitor, newest);
  return (
    <Panel title={texts.settings}>
      <dl class="facts">
        <Fact title={texts.kind}>{texts.kinds[monitor.type]}</Fact>
        {certificate !== undefined && (
          <Fact title={texts.certificate}>
            <Badge tone={certificateTones[certificate]}>{texts.certificates[certificate]}</Badge>
            {typeof monitor.tlsExpiryDays === 'number' && certificate !== 'none' && (
              <span class="note"> {texts.certificateDays({ days: monitor.tlsExpiryDays })}</span>
            )}
          </Fact>
        )}
        {settingsOf(monitor, texts, format).map(([title, value]) => (
          <Fact key={title} title={title}>
            {value}
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

function settingsOf(
  monitor: ManagedMonitor,
  texts: MonitorsTexts,
  format: Format,
): [title: string, value: string][] {
  const { settingNames } = texts;
  const { degradedOverMs, failuresToDown, hidden, description, link } = monitor;
  const { everySeconds, timeoutMs, method, expectStatus, expectBody, periodSeconds, graceSeconds } = monitor;
  const names = Object.entries(monitor.names).map(([language, name]) => `${language}: ${name}`);
  const given: [string, string | null | undefined][] = [
    [settingNames.period, periodSeconds === undefined ? null : format.span(periodSeconds)],
    [settingNames.grace, graceSeconds === undefined ? null : format.span(graceSeconds)],
    [
      settingNames.every,
      periodSeconds === undefined && everySeconds !== undefined ? format.span(everySeconds) : null,
    ],
    [settingNames.timeout, timeoutMs === undefined ? null : format.ms(timeoutMs)],
    [settingNames.degradedOver, degradedOverMs ? format.ms(degradedOverMs) : null],
    [
      settingNames.failuresToDown,
      failuresToDown === undefined ? null : texts.failures({ count: failuresToDown }),
    ],
    [settingNames.method, method],
    [settingNames.expectStatus, expectStatus],
    [settingNames.expectBody, expectBody],
    [settingNames.secrets, monitor.hasSecrets === undefined ? null : secretsOf(monitor.hasSecrets, texts)],
    [settingNames.dependsOn, monitor.dependsOn.join(', ')],
    [settingNames.slug, monitor.slug],
    [settingNames.names, names.join(', ')],
    [settingNames.description, description],
    [settingNames.link, link],
    [settingNames.hidden, hidden ? texts.isHidden : null],
    [settingNames.created, format.full(Date.parse(monitor.createdAt))],
  ];
  return given.flatMap(([title, value]) => (value ? [[title, value]] : []));
}

function secretsOf(hasSecrets: boolean, texts: MonitorsTexts): string {
  return hasSecrets ? texts.hasSecrets : texts.noSecrets;
}
