"""One inference server: started, found ready, logged, and stopped with its whole tree.

Knows nothing of other models, nor why it is stopped beyond the reason it is handed.
"""

from qmdesk.process.port import Ports
from qmdesk.process.process import Process, StartAborted, StartFailed
from qmdesk.process.record import Records

__all__ = ["Ports", "Process", "Records", "StartAborted", "StartFailed"]
