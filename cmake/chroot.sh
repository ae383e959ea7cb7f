# Functions of ./dev for other releases of Debian in a chroot; read by ./dev.

# Usage: make_debian_root FOLDER RELEASE
make_debian_root() {
  say "installing Debian $2"
  quietly as_root debootstrap --variant=minbase --include=ca-certificates,git,procps,python3 "$2" "$1"
  # Certificates and the network are those of this machine, and so are the settings of pip.
  as_root cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
  as_root cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  [ ! -e /etc/pip.conf ] || as_root cp /etc/pip.conf "$1/etc/"
  as_root mkdir -p "$1/onnx2ir" "$1/build" "$1/cache"
}

# Usage: debian RELEASE COMMAND... Runs ./dev COMMAND... in a clean Debian of that release, which sees this folder. Its builds and its cache are its own.
debian() {
  [ $# -gt 1 ] || { usage >&2; exit 2; }
  local release=$1 folder
  shift
  debian_packages debootstrap
  folder=debian-$release
  cached "$folder" make_debian_root "$release"
  folder=$cache/$folder
  mkdir -p "$root/build"
  # The mounts end with the process.
  exec unshare --mount bash -c '
    mount --rbind /dev "$1/dev"
    mount --rbind /sys "$1/sys"
    mount -t proc proc "$1/proc"
    mount --bind "$2" "$1/onnx2ir"
    mount --bind "$1/build" "$1/onnx2ir/build"
    cd /
    exec chroot "$1" env ONNX2IR_CACHE=/cache HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 /onnx2ir/dev "${@:3}"
  ' bash "$folder" "$root" "$@"
}
