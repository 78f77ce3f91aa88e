import type { Texts } from '../../../texts.js';

const en = {
  title: 'Address',
  why: 'Where readers open the page.',
  hostname: 'Host name',
  hostnameWhy: 'Such as status.example.com, without https and port.',
  move: 'When you save, readers find the page at the new address, and no longer at the old one. Links in emails that were sent lead to the old one.',
  slug: 'Short name',
  slugWhy: 'It names the page in the API and on the command line, and cannot be changed.',
  record: 'DNS record',
  recordWhy:
    'Create this record where the domain is managed. A name without a part in front, such as example.com, takes an A or AAAA record with the address of the server.',
  recordNoHost:
    'You reach the service without a public name, so a CNAME has nothing to point to. Create an A or AAAA record where the domain is managed.',
  type: 'Type',
  name: 'Name',
  value: 'Value',
  serverAddress: 'the IP address of the server',
  check: 'Check now',
  checking: 'Looking …',
  checkTitle: 'What is there now',
  checkWhy: 'Asks DNS and opens the page, as a reader would.',
  answers: {
    'this page': 'Readers get this page',
    another: 'Something else answers',
    nothing: 'Nothing answers readers yet',
  },
  pointed: {
    yes: 'The name leads here',
    no: 'The name leads elsewhere',
    unknown: 'Where the name leads is unknown',
  },
  found: 'Records',
  noRecords: 'none',
  proxy: 'In front of the service',
  proxyWhy:
    'The service speaks plain HTTP. A proxy on the same machine has the certificate; these lines are for it.',
  proxies: 'Proxy',
  proxyMore: 'The folder deploy/proxy has complete configurations with limits for each client.',
  labels: { hostname: 'Host name' },
};

const de: typeof en = {
  title: 'Adresse',
  why: 'Wo Leser die Seite öffnen.',
  hostname: 'Hostname',
  hostnameWhy: 'Zum Beispiel status.example.com, ohne https und Port.',
  move: 'Nach dem Speichern finden Leser die Seite unter der neuen Adresse und nicht mehr unter der alten. Links in verschickten E-Mails führen zur alten.',
  slug: 'Kurzname',
  slugWhy: 'Er benennt die Seite in der API und auf der Kommandozeile und steht fest.',
  record: 'Eintrag im DNS',
  recordWhy:
    'Legen Sie diesen Eintrag dort an, wo die Domain verwaltet wird. Ein Name ohne Teil davor, wie example.com, bekommt einen A- oder AAAA-Eintrag mit der Adresse des Servers.',
  recordNoHost:
    'Sie erreichen den Dienst ohne öffentlichen Namen, zu dem ein CNAME führen könnte. Legen Sie einen A- oder AAAA-Eintrag an, wo die Domain verwaltet wird.',
  type: 'Typ',
  name: 'Name',
  value: 'Wert',
  serverAddress: 'die IP-Adresse des Servers',
  check: 'Jetzt prüfen',
  checking: 'Sieht nach …',
  checkTitle: 'Was dort jetzt ist',
  checkWhy: 'Fragt das DNS und öffnet die Seite wie ein Leser.',
  answers: {
    'this page': 'Leser bekommen diese Seite',
    another: 'Etwas anderes antwortet',
    nothing: 'Lesern antwortet noch nichts',
  },
  pointed: {
    yes: 'Der Name führt hierher',
    no: 'Der Name führt woandershin',
    unknown: 'Wohin der Name führt, ist unbekannt',
  },
  found: 'Einträge',
  noRecords: 'keine',
  proxy: 'Vor dem Dienst',
  proxyWhy:
    'Der Dienst spricht einfaches HTTP. Ein Proxy auf derselben Maschine hat das Zertifikat; diese Zeilen sind für ihn.',
  proxies: 'Proxy',
  proxyMore: 'Im Ordner deploy/proxy stehen ganze Konfigurationen mit Grenzen für jeden Client.',
  labels: { hostname: 'Hostname' },
};

export const addressTexts: Texts<typeof en> = { en, de };
