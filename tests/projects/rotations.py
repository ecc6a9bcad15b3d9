"""Rotations, robots and cosines: roma, pypose, pytorch-kinematics, torch-dct."""
# packages: roma pypose pytorch-kinematics arm-pytorch-utilities pytorch-seed torch-dct
# needs: numpy scipy lxml pyyaml matplotlib absl-py
import pypose
import pytorch_kinematics
import roma
import torch
import torch_dct
from show import saved, show, steps

torch.manual_seed(0)
vectors = torch.randn(5, 3)
matrices = roma.rotvec_to_rotmat(vectors)
show("rotvec", matrices)
quaternions = roma.rotmat_to_unitquat(matrices)
show("unitquat", quaternions)
show("euler", roma.unitquat_to_euler("xyz", quaternions))
show("slerp", roma.utils.unitquat_slerp(quaternions[:2], quaternions[2:4], torch.tensor([0.0, 0.3, 1.0])))
show("procrustes", roma.special_procrustes(torch.randn(4, 3, 3)))
show("points", roma.rigid_points_registration(torch.randn(10, 3), torch.randn(10, 3)))
show("six", roma.special_gramschmidt(torch.randn(4, 3, 2)))
show("geodesic", roma.rotmat_geodesic_distance(matrices[:2], matrices[2:4]))
show("random", [roma.random_unitquat(3), roma.random_rotmat(2), roma.random_rotvec(2)])
show("scripted", saved(torch.jit.trace(roma.rotvec_to_unitquat, vectors))(vectors))
x = pypose.randn_so3(4)
show("so3", [x.tensor(), x.Exp().tensor(), x.Exp().Log().tensor(), (x.Exp() @ vectors[:4]), x.Exp().matrix()])
pose = pypose.randn_SE3(2, requires_grad=True)
(pose @ torch.ones(2, 3)).sum().backward()
show("SE3", [pose.tensor(), pose.grad, pose.Inv().tensor(), (pose @ pose.Inv()).tensor(), pose.Adj(pypose.randn_se3(2)).tensor()])
print(pypose.identity_SE3(2))


class Inverse(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pose = pypose.Parameter(pypose.randn_se3(2))

    def forward(self, given):
        return (self.pose.Exp() @ given).Log().tensor()


net, given = Inverse(), pypose.randn_SE3(2)
solver = pypose.optim.LM(net, strategy=pypose.optim.strategy.Constant(damping=1e-4))
show("lm", solver.step(given))
for _ in range(3):
    print("lm", float(solver.step(given)) < 1e-9)
urdf = """<robot name="arm"><link name="base"/><link name="one"/><link name="two"/><link name="hand"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><origin xyz="0 0 0.3" rpy="0 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.4 0 0" rpy="0.2 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="j3" type="prismatic"><parent link="two"/><child link="hand"/><origin xyz="0.3 0 0" rpy="0 0 0"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
chain = pytorch_kinematics.build_serial_chain_from_urdf(urdf, "hand")
joints = torch.tensor([[0.1, 0.5, 0.2], [-0.3, 1.0, 0.0]], requires_grad=True)
hand = chain.forward_kinematics(joints)
show("hand", hand.get_matrix())
hand.get_matrix()[:, :3, 3].square().sum().backward()
show("hand grad", joints.grad)
show("jacobian", chain.jacobian(joints.detach()))
for kind in ("dct", "idct", "dct1", "idct1"):
    show(kind, getattr(torch_dct, kind)(torch.randn(2, 8)))
show("dct2", torch_dct.idct_2d(torch_dct.dct_2d(torch.randn(2, 4, 6))))
show("linear dct", torch_dct.apply_linear_2d(torch.randn(2, 8, 8), torch_dct.LinearDCT(8, "dct")))
