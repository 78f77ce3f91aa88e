import { pluralIn } from './plural.js';
import type { ViewTexts } from './view-texts.js';

const plural = pluralIn('es');

export const es: ViewTexts = {
  language: 'es',
  skip: 'Ir al estado de los servicios',
  themeAuto: 'Tema: como el sistema',
  themeLight: 'Tema: claro',
  themeDark: 'Tema: oscuro',
  statusPage: 'Página de estado',
  languages: 'Idiomas',
  currentStatus: 'Estado actual',
  poweredBy: (product) => `Con la tecnología de ${product}`,
  changed: 'El estado ha cambiado: {state}',
  overall: {
    up: (up, total) => {
      if (up === total) return 'Todos los servicios funcionan';
      return plural(up, {
        one: `${up} de ${total} servicios funciona`,
        other: `${up} de ${total} servicios funcionan`,
      });
    },
    down: {
      some: (count, total) => {
        if (total === 1) return 'El servicio está caído';
        if (count === total) return 'Todos los servicios están caídos';
        return plural(count, {
          one: `${count} de ${total} servicios está caído`,
          other: `${count} de ${total} servicios están caídos`,
        });
      },
      named: (names, count) => `${names} no ${count === 1 ? 'funciona' : 'funcionan'}`,
    },
    partial: {
      some: (count, total) => {
        if (total === 1) return 'El servicio está parcialmente caído';
        if (count === total) return 'Todos los servicios están parcialmente caídos';
        return plural(count, {
          one: `${count} de ${total} servicios está parcialmente caído`,
          other: `${count} de ${total} servicios están parcialmente caídos`,
        });
      },
      named: (names, count) =>
        `${names} ${count === 1 ? 'está parcialmente caído' : 'están parcialmente caídos'}`,
    },
    degraded: {
      some: (count, total) => {
        if (total === 1) return 'El servicio funciona con lentitud';
        if (count === total) return 'Todos los servicios funcionan con lentitud';
        return plural(count, {
          one: `${count} de ${total} servicios funciona con lentitud`,
          other: `${count} de ${total} servicios funcionan con lentitud`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'funciona' : 'funcionan'} con lentitud`,
    },
    since: '{state}, desde {time}',
    incident: (open) =>
      plural(open, {
        one: 'Estamos trabajando en una incidencia',
        other: `Estamos trabajando en ${open} incidencias`,
      }),
    maintenance: () => 'Hay un mantenimiento en curso',
    paused: 'La supervisión está en pausa',
    empty: 'Todavía no se supervisa nada',
    waiting: 'Todavía no se sabe nada',
    stale: 'No hay mediciones recientes',
  },
  overallHint: {
    paused: 'Abajo se muestra el último estado conocido antes de la pausa.',
    empty: 'Los servicios aparecerán aquí con su primera comprobación.',
    waiting: 'Los primeros resultados aparecerán aquí por sí solos.',
    stale: 'Abajo se muestra el último estado conocido; puede haber cambiado.',
    partly: 'Del resto no se conoce el estado actual.',
  },
  serviceSince: '{name} desde {time}',
  andMore: (count) => `y ${count} más`,
  until: 'hasta {time}',
  lastChecked: 'Última comprobación: {time}',
  services: 'Servicios',
  serviceState: {
    up: 'Funciona',
    degraded: 'Degradado',
    partial: 'Parcialmente caído',
    down: 'Caído',
    maintenance: 'En mantenimiento',
    paused: 'En pausa',
    unknown: 'Todavía desconocido',
    waiting: 'A la espera de la primera llamada',
    stale: 'Sin comprobación reciente',
  },
  slowSince: 'Respuestas lentas desde {time}',
  uptime: {
    over: (percent, days) => `${percent} de disponibilidad en ${days} días`,
    since: (percent, day) => `${percent} de disponibilidad desde el ${day}`,
  },
  soFar: {
    good: (day) => `Sin caídas desde el ${day}`,
    down: (duration, day) => `${duration} caído desde el ${day}`,
  },
  responseTime: 'Tiempo de respuesta',
  chart: {
    ranges: 'Periodo',
    average: 'Media {ms}',
    p95: 'Percentil 95 {ms}',
    nothing: 'No se midió nada en este periodo.',
  },
  day: {
    good: 'Sin caídas',
    down: 'caído durante {duration}',
    degraded: 'degradado durante {duration}',
    failed: 'falló el {rate} de las comprobaciones',
    unmeasured: 'Sin medir',
  },
  legend: {
    good: 'Sin caídas',
    degraded: 'Degradado',
    failed: 'Comprobaciones fallidas',
    down: 'Caída',
    unmeasured: 'Sin medir',
  },
  lastDays: (days) => plural(days, { one: 'Último día', other: `Últimos ${days} días` }),
  since: (day) => `Desde el ${day}`,
  bars: {
    good: (time) => `${time}: sin caídas`,
    down: (time, downDays) =>
      plural(downDays, {
        one: `${time}: caídas en un día`,
        other: `${time}: caídas en ${downDays} días`,
      }),
  },
  unmeasuredDays: (days) => plural(days, { one: 'un día sin medir', other: `${days} días sin medir` }),
  happeningNow: 'En este momento',
  planned: 'Mantenimientos previstos',
  past: 'Incidencias pasadas',
  type: { incident: 'Incidencia', maintenance: 'Mantenimiento' },
  updateStatus: {
    investigating: 'En investigación',
    identified: 'Causa identificada',
    monitoring: 'En observación',
    resolved: 'Resuelta',
  },
  maintenanceState: { scheduled: 'Previsto', in_progress: 'En curso', completed: 'Terminado' },
  calledOff: 'Cancelado',
  ongoing: 'En curso',
  affects: (names) => `Afecta a ${names}`,
  began: 'Desde el {time}',
  span: '{from} – {to}',
  openSpan: 'A partir del {from}, sin fin previsto',
  lasted: (duration) => `Duración: ${duration}`,
  allUpdates: (updates) => plural(updates, { one: 'Ver el aviso', other: `Ver los ${updates} avisos` }),
  noIncidents: 'Ninguna incidencia comunicada',
  noIncidentsIn: (days) => `No se ha comunicado ninguna incidencia en los últimos ${days} días.`,
  noOtherIncidentsIn: (days) => `No se ha comunicado ninguna otra incidencia en los últimos ${days} días.`,
  history: 'Historial de incidencias',
  fullHistory: 'Ver todo el historial',
  historyEmpty: 'No se comunicó ninguna incidencia en este mes.',
  historyOf: (month) => `Historial de incidencias, ${month}`,
  earlier: 'Antes',
  later: 'Después',
  pages: {
    name: 'Páginas de este mes',
    current: (page, pages) => `Página ${page} de ${pages}`,
    older: 'Incidencias anteriores',
    newer: 'Incidencias más recientes',
  },
  timeline: 'Cronología',
  postmortem: 'Análisis posterior',
  noUpdates: 'No se publicaron avisos.',
  notFoundTitle: 'No hay nada en esta dirección',
  notFoundText: 'Puede que el enlace esté incompleto, o que su destino ya no exista.',
  privatePage: {
    title: 'Esta página de estado es privada',
    askPassword: 'Introduzca la contraseña o inicie sesión si la administra.',
    noPassword: 'Se puede leer desde ciertas redes, y la leen quienes la administran.',
    password: 'Contraseña',
    open: 'Abrir la página',
    wrong: 'La contraseña no es correcta.',
    busy: 'Se han probado demasiadas contraseñas. Espere un cuarto de hora.',
    signIn: 'Iniciar sesión en el panel',
  },
  unavailableTitle: 'La página de estado no se puede mostrar en este momento',
  unavailableText: 'Eso no dice nada sobre los propios servicios. Inténtelo de nuevo dentro de un momento.',
  tryAgain: 'Intentar de nuevo',
  subscribe: 'Suscribirse',
  subscribeTitle: 'Entérese antes que nadie',
  subscribeText: 'Un correo cada vez que se comunique una incidencia o se prevea un mantenimiento.',
  followText: 'Siga las incidencias y los mantenimientos por feed, en un chat o por webhook.',
  noMailText: 'Esta página no envía correos. Suscriba un chat o siga un feed.',
  email: 'Correo electrónico',
  emailNote: 'Primero le pediremos que confirme. Cada correo lleva un enlace para darse de baja.',
  otherWays: 'Otras formas',
  feeds: 'Canales',
  feedPerUpdate: 'RSS, cada actualización',
  webhooks: 'Para recibir webhooks firmados, pida a quien gestiona esta página que añada su dirección.',
  sentTitle: 'Revise su correo',
  sentText:
    'Si la dirección se puede suscribir, le hemos enviado un enlace. Ábralo para confirmar la suscripción.',
  refusedTitle: 'No ha funcionado',
  refusedText: 'Revise la dirección de correo e inténtelo de nuevo.',
  busyText: 'Ha habido muchas suscripciones. Inténtelo de nuevo dentro de una hora.',
};
